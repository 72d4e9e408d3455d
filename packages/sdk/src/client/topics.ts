/** The lists a client can watch. */
export type ListName = 'tools' | 'prompts' | 'resources';

/** The watched lists, and the watched resources by URI. A followed task is among the URIs, under a name that no URI has. */
export interface Topics {
  readonly lists: ReadonlySet<ListName>;
  readonly uris: ReadonlySet<string>;
}

export const NO_TOPICS: Topics = { lists: new Set(), uris: new Set() };

const LIST_CHANGED: ReadonlyMap<string, ListName> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/prompts/list_changed', 'prompts'],
  ['notifications/resources/list_changed', 'resources'],
]);

const LISTS: ReadonlySet<unknown> = new Set(LIST_CHANGED.values());

/** Is this the name of a list? Any other watched name is a URI. */
export function isListName(what: string): what is ListName {
  return LISTS.has(what);
}

/** A prefix that no URI has. */
const TASK = '\0task ';

/** The name of a task among the topics. */
export function taskTopic(id: unknown): string {
  return `${TASK}${String(id)}`;
}

/** The id of the task that a topic stands for; undefined if the topic is a URI. */
export function taskOfTopic(topic: string): string | undefined {
  return topic.startsWith(TASK) ? topic.slice(TASK.length) : undefined;
}

export function isEmpty({ lists, uris }: Topics): boolean {
  return lists.size === 0 && uris.size === 0;
}

/** The list whose change a notification announces. */
export function listOfNotification(method: string): ListName | undefined {
  return LIST_CHANGED.get(method);
}

const OF_SUBSCRIPTIONS: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
  'notifications/tasks',
]);

/** Does a notification of a modern server belong to a subscription? */
export function isAnnouncement(method: string): boolean {
  return OF_SUBSCRIPTIONS.has(method) || listOfNotification(method) !== undefined;
}
