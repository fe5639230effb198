#!/usr/bin/env python3
"""Measures the prose of the sources: doc sentences without a subject, long sentences, and comments inside bodies.

    tests/house/prose.py [--list [FOLDER]] [--max PERCENT]

Sentences are those of `///` and `//!`, without code blocks, headings and tables; tests do not count. The total is the share of them, in
per cent, that begin with What, Who, Whether, Where, How, Of or As. Comments inside bodies are lines of `//` between braces, against
lines of code: neither blank, nor a comment, nor a test. `--list` prints the sentences of both kinds with their places.
"""

import collections
import re

import rust

HEADLESS = re.compile(r"[\"'(*_]*(What|Who|Whether|Where|How|Of|As)\b")
DOC = re.compile(r"//[/!](?!/)\s?(?P<text>.*)")
# A sentence ends at a full stop, before a new one; not inside `code` and not in an abbreviation.
END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_\[`]*[A-Z0-9`\[])")
ITEM = re.compile(r"\s*([-*+]|\d+\.)\s+")
MOST_WORDS = 25


def paragraphs(source):
    """Each paragraph of doc comments, as the line where it begins and its lines; an item of a list is one."""
    lines, begun, last, fenced = [], 0, -1, False
    for offset, comment in source.comments:
        match = DOC.match(comment)
        if match is None or source.in_tests(offset):
            continue
        line, text = source.line(offset), match["text"].strip()
        is_fence = text.startswith(("```", "~~~"))
        is_apart = not text or is_fence or fenced or text.startswith(("#", "|"))
        if lines and (line != last + 1 or is_apart or ITEM.match(text)):
            yield begun, lines
            lines = []
        if line != last + 1:
            fenced = False
        if is_fence:
            fenced = not fenced
        elif not is_apart:
            begun = begun if lines else line
            lines.append(ITEM.sub("", text))
        last = line
    if lines:
        yield begun, lines


def sentences(source):
    """Each sentence of the doc comments with the line where it begins."""
    for begun, lines in paragraphs(source):
        text = " ".join(lines)
        ends = [sum(len(line) + 1 for line in lines[: at + 1]) for at in range(len(lines))]
        at = 0
        for end in [*(match.end() for match in END.finditer(text)), len(text)]:
            if sentence := text[at:end].strip():
                yield begun + sum(1 for stop in ends if stop <= at), sentence
            at = end


def words(sentence):
    """How many words a sentence has; a piece of `code` is one."""
    return len([word for word in re.sub(r"`[^`]*`", "code", sentence).split() if re.search(r"\w", word)])


def body_comments(source):
    """The lines of `//` that stand between braces, outside tests."""
    product = source.product()
    braces = [(match.start(), 1 if match[0] == "{" else -1) for match in re.finditer(r"[{}]", product)]
    count, at, depth = 0, 0, 0
    for offset, comment in source.comments:
        while at < len(braces) and braces[at][0] < offset:
            depth += braces[at][1]
            at += 1
        if depth > 0 and comment.startswith("//") and not DOC.match(comment) and not source.in_tests(offset):
            count += 1
    return count


def code_lines(source):
    """Lines that are neither blank, nor a comment, nor a test."""
    plain, product = source.text.split("\n"), list(source.text)
    for offset, comment in source.comments:
        product[offset : offset + len(comment)] = re.sub(r"[^\n]", " ", comment)
    for begin, end in source.tests:
        product[begin:end] = re.sub(r"[^\n]", " ", source.text[begin:end])
    return sum(1 for line in "".join(product).split("\n")[: len(plain)] if line.strip())


def measure(source, count):
    """Adds the figures of a file to those of its package, and gives back the sentences to be rewritten."""
    offending = []
    for line, sentence in sentences(source):
        length = words(sentence)
        is_headless = bool(HEADLESS.match(sentence))
        count["sentences"] += 1
        count["headless"] += is_headless
        count["long"] += length > MOST_WORDS
        if is_headless or length > MOST_WORDS:
            kinds = [name for name, holds in [("headless", is_headless), (f"{length} words", length > MOST_WORDS)] if holds]
            offending.append(f"{source.name()}:{line}: [{', '.join(kinds)}] {sentence}")
    count["comments"] += body_comments(source)
    count["code"] += code_lines(source)
    return offending


def share(part, whole):
    """A share in per cent."""
    return 100 * part / max(whole, 1)


def show(name, count):
    """Prints the figures of a package."""
    print(
        f"{name}: {share(count['headless'], count['sentences']):.1f} % of {count['sentences']} sentences headless ({count['headless']}), "
        f"{share(count['long'], count['sentences']):.1f} % over {MOST_WORDS} words ({count['long']}); "
        f"{share(count['comments'], count['code']):.2f} % comments in bodies ({count['comments']} of {count['code']} lines of code)"
    )


def main():
    """Counts, prints, and ends with 1 where the share of headless sentences is above what is allowed."""
    asked = rust.arguments(__doc__, "print the sentences to be rewritten, of one folder where one is given").parse_args()
    counts, offending = collections.defaultdict(collections.Counter), []
    for package, source in rust.product_files():
        offending += measure(source, counts[package])
    for package, count in counts.items():
        show(package, count)
    total = sum(counts.values(), collections.Counter())
    show("total", total)
    if asked.list is not None:
        print(*(line for line in sorted(offending) if line.startswith(asked.list.removeprefix("./"))), sep="\n")
    rust.finish(share(total["headless"], total["sentences"]), asked.max)


if __name__ == "__main__":
    main()
