// The data of errors, in protocols whose errors have data.

package polywireruntime

// WithData sets the data of a refusal: plain JSON, or a value of this package.
func WithData(data any) RefuseOption {
	return func(how *refusing) { how.data = data }
}
