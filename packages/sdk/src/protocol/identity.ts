/**
 * Can this be the id of a principal: a text that is not blank and has no lone surrogates? Different lone surrogates become the
 * same character when they are encoded.
 */
export function isPrincipalId(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !/\p{Surrogate}/u.test(value);
}

/** Throws a `TypeError` if the `principal` that a program gives for a peer cannot be one. */
export function checkPrincipal(principal: { readonly id: unknown } | undefined): void {
  if (principal !== undefined && !isPrincipalId(principal.id))
    throw new TypeError('`principal` needs an `id` that is a string and not blank');
}
