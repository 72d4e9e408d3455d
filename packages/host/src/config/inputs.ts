import { shown } from './config-error.ts';
import { type Data, isFields, member, type Path } from './document.ts';
import { type Problem, problem } from './problem.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';

/** An input that a person is asked for before a server starts, for `${input:id}`. */
export type Input = TextInput | PickInput;

/** The members of every input. */
interface InputBase {
  /** The name in `${input:id}`. */
  readonly id: string;
  /** The description to show to the person. */
  readonly description?: string;
  /** The value to suggest to the person. Default: none. */
  readonly default?: string;
}

/** An input that is typed. */
export interface TextInput extends InputBase {
  readonly type: 'promptString';
  /** The value must not be visible while it is typed, nor be stored where others can read it. */
  readonly password: boolean;
}

/** An input that is chosen from a list. */
export interface PickInput extends InputBase {
  readonly type: 'pickString';
  /** The choices: the text to show, and the value. At least one. */
  readonly options: readonly { readonly label: string; readonly value: string }[];
}

function optionOf(data: Data): { label: string; value: string } | undefined {
  if (typeof data === 'string') return { label: data, value: data };
  const [label, value] = [member(data, 'label'), member(data, 'value')];
  return typeof value === 'string' ? { label: typeof label === 'string' ? label : value, value } : undefined;
}

/** Reads an input. Returns the problem if it is invalid. */
function inputOf(data: Data): Input | string {
  if (!isFields(data)) return 'This is not an object. Write { "type": "promptString", "id": "…" }.';
  const [type, id] = [member(data, 'type'), member(data, 'id')];
  const [description, preset] = [member(data, 'description'), member(data, 'default')];
  if (typeof id !== 'string' || !/^[^\s{}]{1,100}$/.test(id))
    return 'It needs an "id" without spaces and braces. Write a word.';
  const base: InputBase = withoutUndefined({
    id,
    description: typeof description === 'string' ? description : undefined,
    default: typeof preset === 'string' ? preset : undefined,
  });
  if (type === 'promptString') return { type, ...base, password: member(data, 'password') === true };
  if (type !== 'pickString') return 'Its "type" must be promptString or pickString.';
  const list = member(data, 'options');
  const options = Array.isArray(list) ? (list as readonly Data[]).map(optionOf) : [];
  return options.length === 0 || options.includes(undefined)
    ? 'It needs a list of "options". Write strings.'
    : { type, ...base, options: options.filter((option) => option !== undefined) };
}

/** Reads the inputs of a document. Invalid and duplicate ones are problems. */
export function readInputs(data: Data | undefined, path: Path): { inputs: Input[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const inputs = new Map<string, Input>();
  if (data !== undefined && data !== null && !Array.isArray(data)) {
    problems.push(
      problem(path, '"inputs" is not a list, and is ignored. Write one: [{ "type": "promptString", "id": "…" }].'),
    );
  }
  for (const [index, item] of (Array.isArray(data) ? (data as readonly Data[]) : []).entries()) {
    const input = inputOf(item);
    if (typeof input === 'string') problems.push(problem([...path, index], `${input} It is ignored.`));
    else if (!inputs.has(input.id)) inputs.set(input.id, input);
    else
      problems.push(
        problem(
          [...path, index],
          `Another input has the id "${shown(input.id)}": this one is ignored. Give it another id.`,
        ),
      );
  }
  return { inputs: [...inputs.values()], problems };
}
