export { type Anvil, type AnvilOptions, type DevAccount, startAnvil } from './anvil.ts';
export { type AnvilCommand, findAnvil } from './anvil-binary.ts';
export { type BlackHole, openBlackHole } from './black-hole.ts';
export { DevnetError } from './error.ts';
export { type Misbehaviour, misbehaving, type NodeAnswer, wrongs } from './misbehaviour.ts';
export {
  type AnswerWithId,
  batchLimit,
  type Gate,
  type HttpAnswer,
  type NodeProfile,
  type ProxiedRequest,
  profileFault,
  rateLimit,
  withError,
  withMembers,
  withResult,
} from './node-profile.ts';
export { type OwnProcess, type OwnProgram, startOwnProcess } from './own-process.ts';
export { type Fault, type ProxiedCall, type RpcProxy, startProxy } from './rpc-proxy.ts';
export { type CompiledTemplate, tokenTemplate } from './token.ts';
export { spawnWatched, type WatchedChild, type WatchedOptions } from './watched-child.ts';
