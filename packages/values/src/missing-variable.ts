/** A variable that a program reads, in its own words or in the source line of an error. */
const READ = /(?:process\.env(?:\.|\[['"])|\benviron(?:\.get\(|\[)['"]|\bgetenv\(['"])([A-Za-z_]\w{0,99})/;
/** A name that looks like a variable. */
const NAMED = /(?<![\w.])[A-Z][A-Z0-9]{0,49}(?:_[A-Z0-9]{1,49}){1,9}(?!\w)/g;
/** Codes of errors look the same. */
const CODE = /^(?:ERR|MODULE_NOT|UV|SQLITE|EAI|CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|WARN|NODE|E)_/;
const MAX_LENGTH = 20_000;
/** A line of a Python traceback: where, the source line, and marks under it. */
const TRACEBACK = /^ +File ".*", line \d+.*\n(?: {2,}.*\n?){0,3}/gm;
/** Faults of a program in Python that no variable causes. */
const FAULT = /^(?:ImportError|ModuleNotFoundError|SyntaxError|IndentationError|NameError|AttributeError)\b/m;

/** The environment variable that the stderr of a program which ended names. Undefined if it names none. */
function variableIn(stderr: string): string | undefined {
  const text = stderr.slice(-MAX_LENGTH);
  const read = READ.exec(text)?.[1];
  if (read !== undefined || FAULT.test(text)) return read;
  return [...text.replaceAll(TRACEBACK, '').matchAll(NAMED)].map(([name]) => name).find((name) => !CODE.test(name));
}

/** The advice for a server that ended and whose stderr names an environment variable. */
export function fixForVariable(stderr: string | undefined): string | undefined {
  const name = variableIn(stderr ?? '');
  if (name === undefined) return undefined;
  return `Is ${name} set, and right? tenon, like hosts, passes on only a few variables of the shell: add --env ${name}, and "env" in the host.`;
}
