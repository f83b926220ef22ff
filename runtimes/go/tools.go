// The types of tools' inputs and outputs.

package polywireruntime

// toolAs decodes JSON as the type that a list has for the name of a tool, or for the first pattern that matches
// it; nil for an unknown tool.
func toolAs(tools []namedType, name string, value any) (any, error) {
	for i := range tools {
		if glob(tools[i].name, name) {
			return decodePlain(tools[i].typedRule, value)
		}
	}
	return nil, nil
}
