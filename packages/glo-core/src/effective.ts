import { ethereumOperation } from './effective-ethereum.ts';
import { fabricOperation } from './effective-fabric.ts';
import { type Problem, toError, wrongLedger } from './problems.ts';
import { type ContractLocator, type Effective, type Glo, type Technology, technologies } from './types.ts';

/**
 * Applies precedence for a ledger of one technology: where meta and options conflict, meta wins, and the list of
 * overrides says what it changed. An override is listed only when the values differ: addresses are compared
 * without regard to case, quantities as numbers.
 *
 * - Ethereum: `to` beats the recipient or contract, `value` the amount, `data` the method and arguments (or source
 *   and arguments). A `value` with a call and `data` with a transfer add to options that said nothing (`from` null).
 * - Fabric: `channel`, `chaincode` and `contract` beat those parts of a ledger locator; `channel` and `chaincode`
 *   together beat any contract locator. One alone beside a service locator stays in `native`, to be applied to the
 *   contract that the service finds.
 *
 * @throws {GloError} with code `wrong-ledger` when a locator or meta names another technology.
 */
export function effectiveOperation(glo: Glo, technology: Technology): Effective {
  const problems = targetProblems(glo, technology);
  if (problems.length > 0) throw toError(problems);
  return technology === 'ethereum' ? ethereumOperation(glo) : fabricOperation(glo);
}

function targetProblems(glo: Glo, target: Technology): Problem[] {
  const problems: Problem[] = [];
  const [member, locator] = locatorOf(glo);
  if (locator.type === 'ledger' && locator.technology !== target) {
    problems.push(wrongLedger(`/options/${member}/lookup_service/value`, locator.technology, target));
  }
  for (const named of technologies) {
    if (named !== target && glo.meta?.[named] !== undefined) {
      problems.push(wrongLedger(`/meta/ledger/${named}`, named, target));
    }
  }
  return problems;
}

function locatorOf(glo: Glo): [member: string, locator: ContractLocator] {
  switch (glo.type) {
    case 'transfer':
      return ['recipient', glo.options.recipient];
    case 'contract_call':
      return ['contract_instance', glo.options.contractInstance];
    case 'contract_deploy':
      return ['contract_source', glo.options.contractSource];
  }
}
