"""Failed assertions of the helpers are explained, too."""

import pytest

pytest.register_assert_rewrite("importing.imports")
