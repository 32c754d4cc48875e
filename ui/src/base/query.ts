// SPDX-License-Identifier: Apache-2.0
// One query language for tables, graph and URL:
//
//   sqnr<20 & kind:conv & scope:layer.3      conditions, all of which hold; a space is an &
//   !type:Softmax | (drop>3 clip>0.01)       not, or, brackets
//   depthwise                                without a field: in the name
//
// Field:text holds where the field has the text in it, whatever its case; scope:layer.3 where the name lies in that scope.

/** What may stand before an operator: the value of a row, or nothing where it has none. */
export interface Field<Row> {
  names: readonly string[];
  meaning: string;
  number?: (row: Row) => number;
  text?: (row: Row) => string;
}

export interface Language<Row> {
  fields: readonly Field<Row>[];
  name: (row: Row) => string;
}

export type Predicate<Row> = (row: Row) => boolean;
export type Compiled<Row> = { holds: Predicate<Row>; error?: undefined } | { holds?: undefined; error: string };

interface Token {
  text: string;
  quoted: boolean;
  at: number;
}

const marks = ["<=", ">=", "<", ">", "=", ":", "&", "|", "!", "(", ")"];
const comparisons: Record<string, (a: number, b: number) => boolean> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};

class Problem extends Error {}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at]!)) {
      ++at;
      continue;
    }
    if (text[at] === '"') {
      const end = text.indexOf('"', at + 1);
      if (end < 0) throw new Problem("a quotation mark is not closed");
      found.push({ text: text.slice(at + 1, end), quoted: true, at });
      at = end + 1;
      continue;
    }
    const mark = marks.find((one) => text.startsWith(one, at));
    if (mark) {
      found.push({ text: mark, quoted: false, at });
      at += mark.length;
      continue;
    }
    let end = at;
    while (end < text.length && !/[\s"<>=:&|!()]/.test(text[end]!)) ++end;
    found.push({ text: text.slice(at, end), quoted: false, at });
    at = end;
  }
  return found;
}

/** Whether a dotted or slashed name lies in a scope, part by part: layer.3 holds /layer.3/x and not /layer.31/x. */
export function isInScope(name: string, scope: string): boolean {
  const edge = /[/.:]/;
  const [inside, wanted] = [name.toLowerCase(), scope.toLowerCase()];
  for (let at = inside.indexOf(wanted); at >= 0; at = inside.indexOf(wanted, at + 1)) {
    const before = at === 0 || edge.test(inside[at - 1]!) || edge.test(wanted[0] ?? "");
    const after = at + wanted.length;
    if (before && (after === inside.length || edge.test(inside[after]!) || edge.test(wanted.at(-1) ?? ""))) return true;
  }
  return false;
}

const mostNested = 100;

class Parser<Row> {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly all: Token[],
    private readonly language: Language<Row>,
  ) {}

  parse(): Predicate<Row> {
    if (this.all.length === 0) return () => true;
    const holds = this.either();
    const rest = this.all[this.at];
    if (rest) throw new Problem(`'${rest.text}' is not expected here`);
    return holds;
  }

  private mark(text: string): boolean {
    const next = this.all[this.at];
    if (!next || next.quoted || next.text !== text) return false;
    ++this.at;
    return true;
  }

  private either(): Predicate<Row> {
    const parts = [this.both()];
    while (this.mark("|")) parts.push(this.both());
    return parts.length === 1 ? parts[0]! : (row) => parts.some((part) => part(row));
  }

  private both(): Predicate<Row> {
    const parts = [this.one()];
    for (;;) {
      const next = this.all[this.at];
      const ends = !next || (!next.quoted && (next.text === "|" || next.text === ")"));
      if (ends) break;
      this.mark("&");
      parts.push(this.one());
    }
    return parts.length === 1 ? parts[0]! : (row) => parts.every((part) => part(row));
  }

  private one(): Predicate<Row> {
    if (++this.depth > mostNested) throw new Problem("it is nested too deeply");
    const holds = this.single();
    --this.depth;
    return holds;
  }

  private single(): Predicate<Row> {
    if (this.mark("!")) {
      const inside = this.one();
      return (row) => !inside(row);
    }
    if (this.mark("(")) {
      const inside = this.either();
      if (!this.mark(")")) throw new Problem("a bracket is not closed");
      return inside;
    }
    return this.condition();
  }

  private word(what: string): Token {
    const next = this.all[this.at];
    if (!next || (!next.quoted && marks.includes(next.text))) throw new Problem(`${what} is missing`);
    ++this.at;
    return next;
  }

  private condition(): Predicate<Row> {
    const first = this.word("a condition");
    const next = this.all[this.at];
    const operator = next && !next.quoted && (next.text === ":" || Object.hasOwn(comparisons, next.text)) ? next.text : undefined;
    if (first.quoted || operator === undefined) return this.named(first.text);
    ++this.at;
    if (operator === ":" && first.text === "scope") {
      const scope = this.word("a scope").text;
      return (row) => isInScope(this.language.name(row), scope);
    }
    const field = this.language.fields.find((one) => one.names.includes(first.text.toLowerCase()));
    if (!field) {
      const known = this.language.fields.map((one) => one.names[0]).join(", ");
      throw new Problem(`there is no field '${first.text}'; known: scope, ${known}`);
    }
    const value = this.word(`a value behind ${first.text}${operator}`).text;
    return operator === ":" ? this.holding(field, value) : this.compared(field, operator, value);
  }

  private named(text: string): Predicate<Row> {
    const wanted = text.toLowerCase();
    return (row) => this.language.name(row).toLowerCase().includes(wanted);
  }

  private holding(field: Field<Row>, value: string): Predicate<Row> {
    const { text } = field;
    if (!text) return this.compared(field, "=", value);
    const wanted = value.toLowerCase();
    return (row) => text(row).toLowerCase().includes(wanted);
  }

  private compared(field: Field<Row>, operator: string, value: string): Predicate<Row> {
    const { number, text } = field;
    if (!number) {
      if (operator !== "=" || !text) throw new Problem(`${field.names[0]} is no figure; ask for it with ':'`);
      return (row) => text(row).toLowerCase() === value.toLowerCase();
    }
    const bound = value.endsWith("%") ? Number(value.slice(0, -1)) / 100 : Number(value);
    if (Number.isNaN(bound)) throw new Problem(`'${value}' is no number`);
    const holds = comparisons[operator]!;
    return (row) => holds(number(row), bound);
  }
}

export function compile<Row>(text: string, language: Language<Row>): Compiled<Row> {
  try {
    return { holds: new Parser(tokens(text), language).parse() };
  } catch (error) {
    if (error instanceof Problem) return { error: error.message };
    throw error;
  }
}
