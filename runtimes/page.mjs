import { check } from './checks.mjs';

globalThis.checked = check(new URL(location.href).searchParams.get('url')).then(
  (right) => ({ right }),
  (error) => ({ error: String(error?.stack ?? error) }),
);
