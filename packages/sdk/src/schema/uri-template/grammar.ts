import { DefinitionError } from '../../protocol/errors.ts';
import { shown } from '../../protocol/text.ts';

/** How an operator writes its variables: the table of RFC 6570, appendix A. */
export interface Operator {
  /** Written before the first defined variable. */
  readonly first: string;
  /** Written between variables, and between the parts of an exploded one. */
  readonly separator: string;
  /** Variables are written as `name=value`. */
  readonly named: boolean;
  /** Written after the name of an empty value. */
  readonly ifEmpty: string;
  /** Reserved characters and percent-encoded triplets are written as they are. */
  readonly reserved: boolean;
}

/** A variable of an expression, with its modifier. */
export interface Variable {
  readonly name: string;
  /** The modifier `*`. */
  readonly explode: boolean;
  /** The modifier `:n`: only the first `n` characters. */
  readonly prefix: number | undefined;
}

/** A template is a list of literals and expressions. */
export type Part =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'expression'; readonly operator: Operator; readonly variables: readonly Variable[] };

/** The limits of a template. */
const TEMPLATE_LIMITS = { characters: 8 * 1024, expressions: 100, variables: 100 } as const;

function operator(first: string, separator: string, more: Partial<Operator> = {}): Operator {
  return {
    first,
    separator,
    named: false,
    ifEmpty: '',
    reserved: false,
    ...more,
  };
}

/** Section 2.2, and the table of appendix A. The operator of a simple expression is the empty string. */
function operators(): ReadonlyMap<string, Operator> {
  return new Map([
    ['', operator('', ',')],
    ['+', operator('', ',', { reserved: true })],
    ['#', operator('#', ',', { reserved: true })],
    ['.', operator('.', '.')],
    ['/', operator('/', '/')],
    [';', operator(';', ';', { named: true })],
    ['?', operator('?', '&', { named: true, ifEmpty: '=' })],
    ['&', operator('&', '&', { named: true, ifEmpty: '=' })],
  ]);
}
const OPERATORS = /* @__PURE__ */ operators();

/** Section 2.1, with the erratum that allows the apostrophe: the characters that literals must not contain. */
const NOT_LITERAL = /[\u0000-\u0020"<>\\^`|}\u007f]|%(?![0-9A-Fa-f]{2})|[\ud800-\udfff]/u;
/** Section 2.3. Every character is examined only once: a dot must be followed by a name character. */
const NAME = /^(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))+$/;
const PREFIX = /^[1-9][0-9]{0,3}$/;

function fail(problem: string, position: number): never {
  throw new DefinitionError('invalid-template', `Invalid URI template: ${problem} at position ${position}`);
}

/** Percent-encoded bytes must be UTF-8, so that a template and a URI can be compared. */
function checkEscapes(text: string, position: number): void {
  try {
    decodeURIComponent(text);
  } catch {
    fail('percent-encoded bytes that are not UTF-8', position);
  }
}

function literal(text: string, position: number): Part {
  const bad = NOT_LITERAL.exec(text);
  if (bad)
    fail(
      bad[0] === '%'
        ? `'%' without two hexadecimal digits`
        : `the character '${shown(bad[0])}' must be percent-encoded`,
      position + bad.index,
    );
  checkEscapes(text, position);
  return { kind: 'literal', text };
}

function variable(text: string, position: number): Variable {
  const explode = text.endsWith('*');
  const colon = text.indexOf(':');
  const name = text.slice(0, explode ? -1 : colon === -1 ? undefined : colon);
  if (!NAME.test(name)) {
    fail(
      name === ''
        ? 'a variable needs a name'
        : `'${shown(name, 40)}' is not a variable name (letters, digits, '_' and inner dots)`,
      position,
    );
  }
  checkEscapes(name, position);
  if (explode || colon === -1) return { name, explode, prefix: undefined };
  const prefix = text.slice(colon + 1);
  if (!PREFIX.test(prefix)) fail('a prefix length is a number from 1 to 9999', position + colon + 1);
  return { name, explode, prefix: Number(prefix) };
}

/** The inside of `{…}`, which starts at `position`. */
function expression(text: string, position: number): Part {
  const sign = text.charAt(0);
  if (text === '') fail('an empty expression', position);
  if ('=,!@|'.includes(sign)) fail(`the operator '${sign}' is reserved`, position);
  const given = OPERATORS.get(sign);
  let at = given ? 1 : 0;
  const variables = text
    .slice(at)
    .split(',')
    .map((item) => {
      const start = at;
      at += item.length + 1;
      return variable(item, position + start);
    });
  return { kind: 'expression', operator: given ?? OPERATORS.get('')!, variables };
}

/**
 * Parses a template (RFC 6570, section 2). Throws a {@link DefinitionError} with the position (UTF-16 units from 0) if it is malformed or
 * exceeds the {@link TEMPLATE_LIMITS}.
 */
export function parseParts(text: string): Part[] {
  if (text.length > TEMPLATE_LIMITS.characters)
    fail(`longer than ${TEMPLATE_LIMITS.characters} characters`, TEMPLATE_LIMITS.characters);
  const parts: Part[] = [];
  let expressions = 0;
  let variables = 0;
  let from = 0;
  while (from < text.length) {
    const open = text.indexOf('{', from);
    const end = open === -1 ? text.length : open;
    if (end > from) parts.push(literal(text.slice(from, end), from));
    if (open === -1) break;
    const close = text.indexOf('}', open);
    if (close === -1) fail(`'{' without '}'`, open);
    const part = expression(text.slice(open + 1, close), open + 1);
    if (++expressions > TEMPLATE_LIMITS.expressions) fail(`more than ${TEMPLATE_LIMITS.expressions} expressions`, open);
    if (part.kind === 'expression') variables += part.variables.length;
    if (variables > TEMPLATE_LIMITS.variables) fail(`more than ${TEMPLATE_LIMITS.variables} variables`, open);
    parts.push(part);
    from = close + 1;
  }
  return parts;
}
