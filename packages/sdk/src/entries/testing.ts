/** For tests: connections without sockets, peers that misbehave on purpose, a clock that tests control. */
export { connect } from '../open/connect.ts';
export type { ConnectOptions } from '../open/connect.ts';
export { memoryPair } from '../transport/memory.ts';
export { connectScripted } from '../testing/connect-scripted.ts';
export { agreesOn, scriptedPeer } from '../testing/scripted-peer.ts';
export type { Offer, PeerMessage, Rule, Script, ScriptedPeer } from '../testing/scripted-peer.ts';
export { fakeClock } from '../testing/fake-clock.ts';
export type { FakeClock } from '../testing/fake-clock.ts';
export type { Clock, Timer } from '../client/clock.ts';
export type { RequestId } from '../protocol/jsonrpc.ts';
export { REVISIONS as revisions } from '../protocol/revision.ts';
