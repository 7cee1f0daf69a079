export { type Anvil, type AnvilOptions, type DevAccount, startAnvil } from './anvil.ts';
export { type AnvilCommand, findAnvil } from './anvil-binary.ts';
export { type BlackHole, openBlackHole } from './black-hole.ts';
export { DevnetError } from './error.ts';
export { type CompiledTemplate, tokenTemplate } from './token.ts';
