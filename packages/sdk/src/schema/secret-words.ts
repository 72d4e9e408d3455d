/** Words for secrets, which a form must not ask for ("Elicitation", security considerations). */
const SECRET =
  /pass ?(?:word|phrase|code|wd)|\bpwd\b|\botp\b|one ?time ?(?:code|pin)|secret|api ?key|access ?key|private ?key|token|credential|credit ?card|card ?number|cvv|cvc|\bpin\b|\bssn\b|iban/i;

/** Splits a name into words: `userPwd` and `user_pwd` have two. */
function wordsOf(text: string): string {
  return text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[\s_-]+/g, ' ');
}

/** Does one of these texts name a secret? */
export function isAboutSecrets(...texts: readonly unknown[]): boolean {
  return texts.some((text) => typeof text === 'string' && SECRET.test(wordsOf(text)));
}
