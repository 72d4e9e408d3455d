import { Fragment, type ReactNode, useState } from 'react';
import { piecesOf, safeLink } from './inert.ts';
import { Button } from './Button.tsx';
import { classes } from './classes.ts';
import css from './inert.module.css';
import { count } from './numbers.ts';

interface InertProps {
  readonly text: string;
  /** Keeps line breaks, for long text. */
  readonly block?: boolean;
  readonly mono?: boolean;
  /** The most characters shown at first. */
  readonly most?: number;
}

/** Rendering more at once would freeze the page. */
const MAX_SHOWN_AT_ONCE = 100_000;

/** Text of a server: no markup is interpreted, and invisible characters are shown. */
export function Inert({ text, block = false, mono = false, most = 4_000 }: InertProps): ReactNode {
  const [whole, setWhole] = useState(false);
  const length = whole ? Math.max(most, MAX_SHOWN_AT_ONCE) : most;
  const cut = text.length > length;
  const pieces = piecesOf(cut ? text.slice(0, length) : text);
  return (
    <>
      <bdi className={classes(block && css.block, mono && css.mono)}>
        {pieces.map((piece, at) =>
          'plain' in piece ? (
            <Fragment key={at}>{piece.plain}</Fragment>
          ) : (
            <span key={at} className={css.hidden} title={piece.name}>
              {piece.code}
            </span>
          ),
        )}
        {cut && '…'}
      </bdi>
      {cut && !whole && length < MAX_SHOWN_AT_ONCE && (
        <Button look="quiet" small onPress={() => setWhole(true)}>
          Show more of {count(text.length)} characters
        </Button>
      )}
    </>
  );
}

/** A URL from a server. It is a link if that is safe, and its host is always visible. `name`: shown in place of the URL. */
export function OutLink({ href, name }: { readonly href: string; readonly name?: string }): ReactNode {
  const link = safeLink(href);
  if (link === undefined) return <Inert text={href} mono most={300} />;
  return (
    <span className={css.link}>
      <a href={link.href} target="_blank" rel="noopener noreferrer" referrerPolicy="no-referrer">
        {name ?? <Inert text={link.href} mono most={300} />}
      </a>
      <span className={css.host}>opens {link.host}</span>
    </span>
  );
}
