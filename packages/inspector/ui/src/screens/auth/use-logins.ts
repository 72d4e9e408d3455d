import { useServers } from '../../store/model.ts';

/** How many servers wait for a login. */
export const useLogins = (): number => useServers().filter(({ status }) => status === 'login').length;
