// Texts for users, shared by the console and the command line.
export { actionCsv } from './text/action-csv.ts';
export { actionText, type FinishedAction, type SummarizedAction, statusText } from './text/action-text.ts';
export {
  type Activity,
  actionOf,
  activityText,
  capitalized,
  type DescribedAction,
  resourceText,
  resourceTypes,
} from './text/activity-text.ts';
export { amountText, decimalText, shortAmountText } from './text/amount-text.ts';
export { csvOf } from './text/csv.ts';
export { shortText } from './text/short-text.ts';
