/**
 * The codes of the errors of this package, by class, with what they mean: the source of their types and of docs/errors.md. Only types and
 * tests may import it, so that no program loads it.
 */
export const ERROR_CODES = {
  SkillError: {
    'not-offered': 'the server does not declare the requested feature: skills, or directories',
    'invalid-entry': 'the server describes a skill in a way that the extension does not allow',
    'too-large': 'the skill has more files or bytes than are accepted of one',
    'not-listed': 'the skill has no such file, according to its entry',
    'wrong-size': 'the size of a file differs from the entry: it has changed, or was changed in transit',
    'wrong-digest': 'the bytes of a file differ from the entry: it has changed, or was changed in transit',
    'wrong-frontmatter': '`SKILL.md` contradicts the entry of the skill, or is not valid',
    'not-readable': 'the server answered with something other than the file',
    'endless-list': 'the pages of a list form a loop, or there are too many',
  },
} as const;

/** The codes of the errors of a class, such as `ErrorCode<'SkillError'>`; without a class, of all. */
export type ErrorCode<Name extends keyof typeof ERROR_CODES = keyof typeof ERROR_CODES> = {
  [Each in Name]: keyof (typeof ERROR_CODES)[Each];
}[Name];
