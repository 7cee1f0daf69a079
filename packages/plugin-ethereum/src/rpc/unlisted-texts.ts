import type { NodeMessageKind } from './node-texts.ts';

const offer =
  '(?:gas ?price|gas ?fee ?cap|(?:gas ?)?tip(?: ?cap)?|fee ?cap|max ?fee|max ?priority ?fee|priority ?fee|(?:transaction|tx|txn|gas|base|network)? ?fees?)(?: per gas)?';
const tooLow =
  '(?:too (?:low|small|cheap)|below|less than|lower than|under|minimum|at least|insufficient|not enough|not satisfied)';

const underpriced = new RegExp(
  String.raw`\bunder-?priced\b|\b${offer}\b[^.;]{0,80}?(?:\b${tooLow}\b|<)|\b(?:insufficient|minimum|not enough|too low|low) ${offer}\b`,
  'i',
);
/** Messages that also name fees, but mean that the wallet cannot pay or that the offer is too high. */
const otherFees = /\b(?:funds|balance|exceed\w*|higher than|greater than)\b/i;

/**
 * Meaning of a message that `node-texts.ts` does not list. Nodes, forks and providers word the same refusals in
 * many ways. Recognizes only meanings that do no harm if they are wrong: they lead to a higher offer within
 * the caps, smaller requests, or a repeated request.
 */
export function unlistedKind(message: string): NodeMessageKind | undefined {
  const said = message.slice(0, 1_000);
  if (/\bbatch/i.test(said)) return 'batch-refused';
  if (underpriced.test(said) && !otherFees.test(said)) return 'underpriced';
  return /\b(?:too busy|overloaded|try again)\b/i.test(said) ? 'busy' : undefined;
}
