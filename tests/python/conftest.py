"""The generated package, imported from the folder where it is generated."""

from __future__ import annotations

import sys
from pathlib import Path

DISTRIBUTION = Path(__file__).resolve().parents[2] / "generated" / "python"

sys.path.insert(0, str(DISTRIBUTION))
