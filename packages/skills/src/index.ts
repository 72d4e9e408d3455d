/** Skills for authors: a server that publishes them. */
export { dynamicSkill, skill } from './server/skill.ts';
export type { Files, Skill, SkillOptions } from './server/skill.ts';
export { skills } from './server/skills.ts';
export type { SkillsOptions } from './server/skills.ts';
export type { Frontmatter } from './entry.ts';
