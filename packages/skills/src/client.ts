/** Skills for users: the skills of a server, checked before they are used. */
export { SKILLS_EXTENSION } from './entry.ts';
export type { Frontmatter, SkillEntry, SkillFile } from './entry.ts';
export { skillsOf } from './client/skills-of.ts';
export type { ListOptions, ServerSkills, SkillsClient } from './client/skills-of.ts';
export type { LoadedSkill, Reader, SkillContent } from './client/loaded-skill.ts';
export { bindingOf } from './client/binding.ts';
export { SkillError } from './client/skill-error.ts';
export type { ErrorCode } from './error-codes.ts';
