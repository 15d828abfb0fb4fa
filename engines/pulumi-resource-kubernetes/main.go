// The Kubernetes provider of Pulumi as a plugin.
//
// Its own main package does not build from the module: the schema it embeds is not committed. The provider hands the schema out
// (GetSchema) and looks in it for the inputs of an object that it reads without having any (`pulumi import`, `Resource.get`);
// preview, up, refresh and destroy never open it. So a schema without types serves, and imported inputs come out sparse.
package main

import (
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

func main() {
	schema := []byte(`{"name":"kubernetes","version":"` + version.Version + `","resources":{},"types":{},"functions":{}}`)
	provider.Serve("kubernetes", version.Version, schema, []byte("{}"))
}
