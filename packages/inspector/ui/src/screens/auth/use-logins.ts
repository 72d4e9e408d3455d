import { useServers } from '../../store/model.ts';

/** How many servers wait for a login. */
export function useLogins(): number {
  return useServers().filter(({ status }) => status === 'login').length;
}
