"""A model → its reference: static pages that need no server and no network, and can be read without scripts.

| module | decides |
|---|---|
| `places` | which page and anchor each thing has |
| `prose` | how text of the spec is parsed: paragraphs, code, and links to declarations, nothing else |
| `carriers` | how an option is sent, in words |
| `examples` | which JSON is shown for a declaration |
| `plausible` | the values in it, if the spec gives none |
| `messages` | who sends what, and the diagram of it |
| `source` | the address of a line of the spec |
| `languages` | the names in each language, and the code that reads the types |
| `views` | the contents of each page |
| `search` | what can be searched for |
| `site` | all files |

Everything in a spec is untrusted. Templates escape what they insert, names become addresses only through `places`, and
the content security policy of every page allows no script except the three files next to the pages.
"""
