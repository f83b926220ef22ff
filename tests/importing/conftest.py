"""pytest also rewrites the assertions of the helpers, to explain their failures."""

import pytest

pytest.register_assert_rewrite("importing.imports")
