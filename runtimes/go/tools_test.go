package polywireruntime

import "testing"

func TestAToolIsFoundByItsNameOrAPattern(t *testing.T) {
	tools := []namedType{{"spot", typedRule{(*spot)(nil), (*spot)(nil)}}, {"s*", typedRule{isString, (*string)(nil)}}}
	given := map[string]any{"x": 1, "y": 2}
	if found, err := toolAs(tools, "spot", given); err != nil || found.(*spot).Y != 2 {
		t.Error(found, err)
	}
	if found, err := toolAs(tools, "spots", "a"); err != nil || found != "a" {
		t.Error(found, err)
	}
	if found, err := toolAs(tools, "spot", "a"); err == nil {
		t.Error(found)
	}
	if found, err := toolAs(tools, "other", given); err != nil || found != nil {
		t.Error(found, err)
	}
}
