"""Prints what a language server finds, with asyncio: python client.py PYTHON SERVER [broken]."""

import asyncio
import sys

import lsp_wire as lsp

TEXT = "a wrong word é\nno\nwrong wrong"


async def main(program: str, *arguments: str) -> None:
    server = lsp.Server(program=program, arguments=list(arguments))
    about = lsp.InitializeParams(process_id=None, root_uri=None, capabilities={})
    document = lsp.OpenDocument(uri="file:///é", language_id="words", version=1, text=TEXT)
    async with lsp.AsyncProcess("client", lsp.launch(server)) as process:
        answer = await process.request(lsp.InitializeRequest(params=about))
        print(answer.server_info.name if answer.server_info else None)
        await process.notify(lsp.Initialized(params={}))
        await process.notify(lsp.DidOpen(params=lsp.DidOpenParams(text_document=document)))
        async for event in process:
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
            await process.request(lsp.ShutdownRequest())
            await process.notify(lsp.Exit())
            print(await process.wait())
        except lsp.ProcessError as error:
            print("behind a malformed header" in str(error))
            print(await process.close())


asyncio.run(main(*sys.argv[1:]))
