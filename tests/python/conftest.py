"""The generated package, imported from where it is generated to."""

from __future__ import annotations

import sys
from pathlib import Path

DISTRIBUTION = Path(__file__).resolve().parents[2] / "generated" / "python"

sys.path.insert(0, str(DISTRIBUTION))
