export {
  addResource,
  expectOAuthError,
  expectProblem,
  formOf,
  type Installation,
  install,
  may,
  problemOf,
  type Tenant,
} from './installation.ts';
export { giveSigningKey } from './signing-key.ts';
