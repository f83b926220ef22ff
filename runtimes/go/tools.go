// Inputs and outputs of tools, which travel untouched, as the types that the protocol ties to them.

package polywireruntime

// decodePlain decodes JSON that the package kept untouched, like DecodeAs.
func decodePlain(name string, value any) (any, error) {
	e := encoder{}
	if writeAny(&e, &value); e.err != nil {
		return nil, e.err
	}
	return DecodeAs(name, e.buf, LenientMode)
}
