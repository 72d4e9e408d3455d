// The metadata that tell clients where to log in.
import { mcp } from '../../../../mcp.ts';

export const dynamic = 'force-dynamic';

const { fetch } = mcp;
export { fetch as GET, fetch as OPTIONS };
