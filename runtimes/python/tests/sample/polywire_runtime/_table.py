"""The sample protocol as rows, from which functions are compiled (see `_rows`)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .model import Line

    Root: TypeAlias = Line

__all__ = ["AREAS", "LAYOUT", "LEVELS", "NAMES", "RECURSIVE", "ROOT", "ROWS", "UNKNOWNS"]

ROOT = "Line"
"""The type to read if no other type is given."""

LAYOUT = 1
"""The number of the grammar of rows, which an extension must know to read them."""

ROWS: dict[str, str] = {
    "Color": '["enum","Color","string",true,["red","blue"]]',
    "Level": '["enum","Level","string",false,["low","high"]]',
    "Size": '["enum","Size","integer",true,[1,-2]]',
    "Code": '["enum","Code","integer",false,[1,-2]]',
    "FailureName": '["enum","FailureName","string",true,["error_a","error_b"]]',
    "Points": '["alias","Points",["[]","number",null,null]]',
    "Nest": '["alias","Nest",["|",{"array":["[]","Nest",null,null],"object":["{}","Nest",null],"string":"string"}]]',
    "Note": (
        '["struct","Note",[["=","kind","note"],[".","text","text",1,"string"],[".","color","color",0,"Color"],'
        '[".","reply_to","reply_to",2,"string"],[".","count","count",0,"integer"],[".","data","data",2,"json"]],null,[]]'
    ),
    "Look": '["struct","Look",[["=","what","look"],[".","at","at",1,"uuid"]],null,["seen"]]',
    "Forget": '["struct","Forget",[["=","what","forget"]],null,[]]',
    "Ask": (
        '["struct","Ask",[["=","kind","ask"],[".","id","id",1,"string"],[".","request","request",1,"Request"]],null,[]]'
    ),
    "Answer": (
        '["struct","Answer",[["=","kind","answer"],[".","id","id",1,"string"],[".","result","result",2,"json"]],'
        "null,[]]"
    ),
    "Refusal": (
        '["struct","Refusal",[["=","kind","refusal"],[".","id","id",1,"string"],[".","reason","reason",1,"string"],'
        '[".","code","code",0,"integer"],[".","data","data",2,"json"]],'
        "null,[]]"
    ),
    "Drop": '["struct","Drop",[["=","kind","drop"],[".","id","id",1,"string"]],null,[]]',
    "Sight": '["struct","Sight",[[".","items","items",1,["[]","Note",null,3]]],null,[]]',
    "Original": (
        '["struct","Original",[["=","kind","card"],[".","isCopy","is_copy",0,"boolean",[true]],'
        '[".","text","text",0,"string"],[".","event","event",0,"Event"]],null,[]]'
    ),
    "Copy": '["struct","Copy",[["=","kind","card"],["=","isCopy",true]],null,[]]',
    "Start": '["struct","Start",[["=","kind","event"],["=","what","start"],[".","cwd","cwd",1,"string"]],null,[]]',
    "Failure": (
        '["struct","Failure",[["=","kind","event"],["#","what","what",false,"FailureName","error_*"],'
        '[".","n","n",1,"integer"]],null,[]]'
    ),
    "Suit": '["struct","Suit",[["#","k","k",false,["x","y"],null],["#","m","m",true,"FailureName",null]],null,[]]',
    "Presence": (
        '["struct","Presence",[[".","a","a",1,"string"],[".","b","b",3,"string"],[".","c","c",0,"string"],'
        '[".","d","d",2,"string"],[".","x","x",2,"json"],[".","y","y",3,"json"]],null,[]]'
    ),
    "Fixed": (
        '["struct","Fixed",[["=","role","r"],["=","on",true],["=","version",2],["=","ratio",1.5],'
        '["?","type","type","stdio"],["?","quiet","quiet",false]],null,[]]'
    ),
    "Bag": '["struct","Bag",[[".","a","a",0,"string"]],"integer",[]]',
    "Box": (
        '["struct","Box",[["=","form","box"],[".","p","p",1,"string"],[".","q","q",0,"string"],'
        '[".","inner","inner",0,"Outer"]],null,[]]'
    ),
    "Outer": (
        '["struct","Outer",[["=","type","o"],[".","id","id",1,"string"],[".","body","body",5,"Body"],'
        '[".","last","last",0,"string"]],null,[]]'
    ),
    "Draft": '["struct","Draft",[[".","p","p",1,"string"]],null,[]]',
    "Loose": (
        '["struct","Loose",[[".","id","id",1,"string"],[".","body","body",4,"Draft"],[".","last","last",0,"string"]],'
        "null,[]]"
    ),
    "Sack": '["struct","Sack",[[".","id","id",1,"string"],[".","body","body",5,"object"]],null,[]]',
    "Crate": '["struct","Crate",[[".","body","body",4,"object"]],null,[]]',
    "Kit": (
        '["struct","kit",[[".","id","id",1,"uuid"],[".","at","at",0,"timestamp"],[".","flag","flag",0,"boolean"],'
        '[".","ratio","ratio",0,"number"],[".","none","none",2,"null"],[".","any","any",2,"json"],'
        '[".","obj","obj",0,"object"],[".","level","level",0,"Level"],[".","size","size",0,"Size"],'
        '[".","code","code",0,"Code"],[".","pair","pair",0,["[]","integer",1,2]],'
        '[".","many","many",0,["[]","string",2,null]],[".","rows","rows",0,["[]",["[]","Color",null,null],null,null]],'
        '[".","sizes","sizes",0,["{}","integer","Color"]],[".","levels","levels",0,["{}","number","Level"]],'
        '[".","byName","by_name",0,["{}","Draft",null]],[".","choice","choice",2,'
        '["|",{"string":"uuid","number":"integer","array":["[]","string",null,null]}]],'
        '[".","points","points",0,"Points"],[".","anys","anys",0,["[]","json",null,null]],'
        '[".","class","class_",0,"string"]],null,[]]'
    ),
    "Tree": (
        '["struct","Tree",[[".","name","name",0,"string"],[".","kids","kids",0,["[]","Tree",null,null]],'
        '[".","left","left",0,"Tree"],[".","data","data",2,"json"]],null,[]]'
    ),
    "Notify": '["struct","Notify",[[".","method","method",1,"string"]],null,[]]',
    "Reply": '["struct","Reply",[[".","id","id",1,"integer"],[".","error","error",2,"json"]],null,[]]',
    "Request": (
        '["union","Request",false,null,["switch","Request","what",[["look","Look"],["forget","Forget"]],[],null]]'
    ),
    "Card": '["union","Card",false,null,["switch","Card","isCopy",[[true,"Copy"]],[],"Original"]]',
    "Event": (
        '["union","Event",true,"UnknownEvent",'
        '["switch","Event","what",[["start","Start"],["error_a","Failure"],["error_b","Failure"]],'
        '[["error_*","Failure"]],null]]'
    ),
    "Line": (
        '["union","Line",true,"UnknownLine",["switch","Line","kind",[["note","Note"],["ask","Ask"],'
        '["answer","Answer"],["refusal","Refusal"],["card",["switch","Card","isCopy",[[true,"Copy"]],[],"Original"]],'
        '["event",["switch","Event","what",[["start","Start"],["error_a","Failure"],["error_b","Failure"]],'
        '[["error_*","Failure"]],null]]],[],null]]'
    ),
    "Body": '["union","Body",true,"UnknownBody",["switch","Body","form",[["box","Box"]],[],null]]',
    "Call": (
        '["union","Call",true,"UnknownCall",["keys","Call",[[["method"],["error"],"Notify"],'
        '[["id"],["method"],"Reply"]]]]'
    ),
    "ClosedCall": '["union","ClosedCall",false,null,["keys","ClosedCall",[[["method"],["error"],"Notify"]]]]',
    "Fitting": ('["union","Fitting",true,"UnknownLine",["switch","Fitting","type",[["stdio","Fixed"]],[],"Fixed"]]'),
}
"""Name → row, as JSON text."""

AREAS: dict[str, str] = {
    "Answer": "model",
    "Ask": "model",
    "Bag": "model",
    "Body": "model",
    "Box": "model",
    "Call": "model",
    "Card": "model",
    "ClosedCall": "model",
    "Code": "model",
    "CodeValue": "model",
    "Color": "model",
    "ColorKnown": "model",
    "ColorValue": "model",
    "Copy": "model",
    "Crate": "model",
    "Draft": "model",
    "Drop": "model",
    "Event": "model",
    "Failure": "model",
    "FailureName": "model",
    "FailureNameKnown": "model",
    "FailureNameValue": "model",
    "Fitting": "model",
    "Fixed": "model",
    "Forget": "model",
    "HasKind": "model",
    "Kit": "model",
    "Level": "model",
    "LevelValue": "model",
    "Line": "model",
    "Look": "model",
    "Loose": "model",
    "Nest": "model",
    "Note": "model",
    "Notify": "model",
    "Original": "model",
    "Outer": "model",
    "Points": "model",
    "Presence": "model",
    "Refusal": "model",
    "Reply": "model",
    "Request": "model",
    "Sack": "model",
    "Sight": "model",
    "Size": "model",
    "SizeKnown": "model",
    "SizeValue": "model",
    "Start": "model",
    "Suit": "model",
    "Tree": "model",
    "UnknownBody": "unknowns",
    "UnknownCall": "unknowns",
    "UnknownEvent": "unknowns",
    "UnknownLine": "unknowns",
}
"""Name → the module that declares it."""

NAMES: dict[str, str] = {"Kit": "kit"}
"""Name → its name in the protocol, if that differs."""

RECURSIVE: frozenset[str] = frozenset({"Body", "Box", "Nest", "Outer", "Tree"})
"""Types whose values may nest without limit."""

LEVELS = 8
"""The number of JSON levels of the other types, including one level for untouched values."""

UNKNOWNS: dict[str, tuple[str, ...]] = {
    "UnknownLine": ("Line", "Fitting"),
    "UnknownBody": ("Body",),
    "UnknownCall": ("Call",),
    "UnknownEvent": ("Event",),
}
"""Class of an Unknown → the unions it belongs to, roots first."""
