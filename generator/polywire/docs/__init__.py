"""A model → its reference: static pages that need no server, no network, and, but for the search, no script.

| module | decides |
|---|---|
| `places` | which page and anchor a thing has |
| `prose` | how text of the spec is read: paragraphs, code, and links to declarations, nothing else |
| `carriers` | how an option travels, in words |
| `examples` | which JSON stands for a declaration |
| `languages` | what things are called in each language, and the code that reads them |
| `views` | what each page has |
| `search` | what can be searched for |
| `site` | all files |

Everything that a spec says is untrusted. Templates escape what they place, names become addresses only by `places`, and
the policy of every page lets no script run but the two that stand beside the pages.
"""
