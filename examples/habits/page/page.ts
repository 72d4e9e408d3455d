// The page: a table of the week. Each tick is a call of the tool `tick`, and the model is told what changed.
import { App, applyDocumentTheme } from '@modelcontextprotocol/ext-apps';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
interface Week {
  readonly habits: readonly { readonly name: string; readonly done: readonly string[] }[];
}

const app = new App({ name: 'habits', version: '1.0.0' }, {});
const main = document.querySelector('main')!;

function cell<Name extends 'th' | 'td'>(name: Name, content: string | Node): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.append(content);
  return element;
}

function box(habit: string, day: string, isDone: boolean): HTMLInputElement {
  const input = document.createElement('input');
  input.type = 'checkbox';
  input.checked = isDone;
  input.setAttribute('aria-label', `${habit} on ${day}`);
  input.addEventListener('change', () => void change(habit, day, input.checked));
  return input;
}

function show({ habits }: Week): void {
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  head.append(cell('th', 'Habit'), ...DAYS.map((day) => cell('th', day)));
  const body = table.createTBody();
  for (const { name, done } of habits)
    body.insertRow().append(cell('th', name), ...DAYS.map((day) => cell('td', box(name, day, done.includes(day)))));
  const count = document.createElement('p');
  count.setAttribute('role', 'status');
  count.textContent = `${habits.reduce((sum, { done }) => sum + done.length, 0)} of ${habits.length * DAYS.length} done`;
  main.replaceChildren(table, count);
  main.setAttribute('aria-busy', 'false');
}

function fail(error: unknown): void {
  const text = document.createElement('p');
  text.setAttribute('role', 'alert');
  text.textContent = `It was not noted: ${error instanceof Error ? error.message : String(error)}`;
  main.append(text);
}

async function change(habit: string, day: string, isDone: boolean): Promise<void> {
  try {
    const { structuredContent } = await app.callServerTool({ name: 'tick', arguments: { habit, day, isDone } });
    show(structuredContent as unknown as Week);
    await app.updateModelContext({ structuredContent: { habit, day, isDone } });
  } catch (error) {
    fail(error);
  }
}

// Set before connecting, because the result may arrive at once.
app.addEventListener('toolresult', ({ structuredContent }) => {
  if (structuredContent !== undefined) show(structuredContent as unknown as Week);
});
app.addEventListener('hostcontextchanged', ({ theme }) => {
  if (theme !== undefined) applyDocumentTheme(theme);
});
await app.connect();
const { theme } = app.getHostContext() ?? {};
if (theme !== undefined) applyDocumentTheme(theme);
