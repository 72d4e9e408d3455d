// /mcp
import { mcp } from '../../mcp.ts';

/** Seconds that a request may take. A platform ends longer ones, also streams. */
export const maxDuration = 300;
export const dynamic = 'force-dynamic';

const { fetch } = mcp;
export { fetch as DELETE, fetch as GET, fetch as OPTIONS, fetch as POST };
