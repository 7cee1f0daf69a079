import type { AdapterProblem } from '@ledger-ops/adapter';
import type { InstructionJson } from '../native.ts';
import type { Plan } from '../plan.ts';
import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';
import { readable, UnusableAnswer } from '../rpc/unusable-answer.ts';
import { associatedTokenProgram, token2022Program, tokenProgram } from './token-programs.ts';

const tokenPrograms: readonly string[] = [tokenProgram, token2022Program];
/** Maximum number of accounts per call. */
const mostAccounts = 100;

/**
 * If the operation calls a token program other than the one that its mint or accounts belong to, adds a hint
 * to the problem.
 */
export async function withTokenProgram(
  node: SolanaNode,
  { instructions }: Plan,
  problem: AdapterProblem,
): Promise<AdapterProblem> {
  if (problem.code !== 'reverted') return problem;
  /** The token program that the operation uses for each account. */
  const used = new Map<string, string>();
  for (const instruction of instructions) {
    const program = tokenProgramOf(instruction);
    if (program === undefined) continue;
    for (const { address } of instruction.accounts) used.set(address, program);
  }
  if (used.size === 0) return problem;
  const accounts = [...used.keys()].slice(0, mostAccounts);
  const config = { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
  const found = await readable(node.ask('getMultipleAccounts', [accounts, config], answers.owners));
  if (found instanceof UnusableAnswer) return problem;
  for (const [index, account] of accounts.entries()) {
    const owner = found.value[index]?.owner;
    if (owner === undefined || !tokenPrograms.includes(owner) || owner === used.get(account)) continue;
    const detail = `${problem.detail} The account ${account} belongs to the token program ${owner}, but the operation uses ${used.get(account)}. Call ${owner}, and name token accounts as <owner>/<mint>/${owner}.`;
    return { ...problem, detail };
  }
  return problem;
}

/**
 * Returns the token program that an instruction calls, or names when it creates an associated token account.
 */
function tokenProgramOf({ program, accounts }: InstructionJson): string | undefined {
  if (tokenPrograms.includes(program)) return program;
  return program === associatedTokenProgram ? accounts[5]?.address : undefined;
}
