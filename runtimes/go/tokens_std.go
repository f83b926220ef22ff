// The tokenizer of the slow pass: the standard library's, where it has one.

//go:build goexperiment.jsonv2

package polywireruntime

import (
	"bytes"
	"encoding/json/jsontext"
)

// tokens is the tokenizer of the standard library.
type tokens = jsontext.Decoder

func tokensOf(data []byte) *tokens {
	return jsontext.NewDecoder(
		bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	)
}
