/**
 * The codes of the errors of this package, by class, with what they mean: the source of their types and of docs/errors.md. Only types and
 * tests may import it, so that no program loads it.
 */
export const ERROR_CODES = {
  SkillError: {
    'not-offered': 'the server does not declare what is asked of it: skills, or directories',
    'invalid-entry': 'what the server says of a skill is not what the extension defines',
    'too-large': 'the skill has more files or bytes than are accepted of one',
    'not-listed': 'the skill has no such file, as far as its entry says',
    'wrong-size': 'a file has another size than the entry says: it has changed, or was changed on its way',
    'wrong-digest': 'a file has other bytes than the entry says: it has changed, or was changed on its way',
    'wrong-frontmatter': '`SKILL.md` says something else of the skill than its entry, or is no such file',
    'not-readable': 'the server answered with something other than the file',
    'endless-list': 'the pages of a list form a loop, or there are too many',
  },
} as const;

/** The codes of the errors of a class, such as `ErrorCode<'SkillError'>`; without a class, of all. */
export type ErrorCode<Name extends keyof typeof ERROR_CODES = keyof typeof ERROR_CODES> = {
  [Each in Name]: keyof (typeof ERROR_CODES)[Each];
}[Name];
