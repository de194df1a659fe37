"""How many tokens a prompt has, after the chat template, as training counts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scopeif.errors import ModelNotFoundError, StackError


def load_tokenizer(folder: Path) -> Any:
    """The Hugging Face tokenizer of a folder; nothing is downloaded.

    Raises:
        ModelNotFoundError: the folder holds no tokenizer, or one without a chat template.
        StackError: transformers is not installed.
    """
    if not (folder / "tokenizer_config.json").is_file():
        fix = "name a folder with tokenizer_config.json, such as models/smollm2_135m"
        raise ModelNotFoundError("no tokenizer is there", place=str(folder), fix=fix)
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise StackError("transformers is not installed", fix="install it, or leave --tokenizer out") from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ModelNotFoundError(f"the tokenizer cannot be loaded: {reason}", place=str(folder)) from None
    if not tokenizer.chat_template:
        raise ModelNotFoundError("the tokenizer has no chat template", place=str(folder), fix="name an instruct model")
    return tokenizer


def prompt_tokens(messages: Sequence[Mapping[str, str]], tokenizer: Any, template_options: Mapping[str, Any]) -> int:
    """Tokens of chat messages as the policy gets them.

    Args:
        messages: role and content of each.
        tokenizer: of the policy, with its chat template.
        template_options: further arguments of `apply_chat_template`, such as ``enable_thinking``.
    """
    options = {"add_generation_prompt": True, "tokenize": False} | dict(template_options)
    text = tokenizer.apply_chat_template(messages, **options)
    return len(tokenizer(text, add_special_tokens=False)["input_ids"])
