"""Prints what a language server finds, with threads: python threads.py PYTHON SERVER [broken]."""

import sys

import lsp_wire as lsp

TEXT = "a wrong word é\nno\nwrong wrong"


def main(program: str, *arguments: str) -> None:
    server = lsp.Server(program=program, arguments=list(arguments))
    about = lsp.InitializeParams(process_id=None, root_uri=None, capabilities={})
    document = lsp.OpenDocument(uri="file:///é", language_id="words", version=1, text=TEXT)
    with lsp.Process("client", lsp.launch(server)) as process:
        answer = process.request(lsp.InitializeRequest(params=about))
        print(answer.server_info.name if answer.server_info else None)
        process.notify(lsp.Initialized(params={}))
        process.notify(lsp.DidOpen(params=lsp.DidOpenParams(text_document=document)))
        for event in process:
            match event:
                case lsp.SessionNotification(payload=lsp.PublishDiagnostics(params=found)):
                    for each in found.diagnostics:
                        print(f"{each.range.start.line}:{each.range.start.character} {each.message!r}")
                case lsp.SessionNotification(payload=lsp.LogMessage(params=log)):
                    print(log.message)
                    break
                case lsp.BadLine(line=line, raw=raw, error=error):
                    print(f"message {line}: {error.code} {raw.decode()}")
        try:
            process.request(lsp.ShutdownRequest())
            process.notify(lsp.Exit())
            print(process.wait())
        except lsp.ProcessError as error:
            print("behind a malformed header" in str(error))
            print(process.close())


main(*sys.argv[1:])
