import { SHOWS_APPS } from 'tenon/apps';
import { TASKS_EXTENSION } from 'tenon/internal';

/** The extensions that the inspector declares: what a call makes as a task is followed, and apps are shown. */
export const EXTENSIONS = { [TASKS_EXTENSION]: {}, ...SHOWS_APPS };
