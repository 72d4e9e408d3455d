import { SHOWS_APPS } from 'tenon/apps';
import { TASKS_EXTENSION } from 'tenon/internal';

/** The extensions that the inspector declares: it follows tasks, and shows apps. */
export const EXTENSIONS = { [TASKS_EXTENSION]: {}, ...SHOWS_APPS };
