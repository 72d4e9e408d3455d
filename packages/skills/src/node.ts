/** Skills for authors: those in a folder. */
export { readSkills } from './node/read-skills.ts';
