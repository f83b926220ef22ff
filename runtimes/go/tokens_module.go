// The tokenizer of the slow pass: a module, where the standard library does not have it.

//go:build !goexperiment.jsonv2

package polywireruntime

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// tokens is the tokenizer of encoding/json/v2, as a module.
type tokens = jsontext.Decoder

func tokensOf(data []byte) *tokens {
	return jsontext.NewDecoder(
		bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	)
}
