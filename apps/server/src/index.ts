export { type AppDeps, type AppSettings, createApp, type ServerApp } from './app.ts';
export { readConfig, type ServerConfig, type SettingName, settings } from './config.ts';
export { ConfigError } from './config-error.ts';
export { createLog, type ServerLog } from './logger.ts';
export { type ApiDocument, buildDocument } from './openapi.ts';
export {
  createRegistryServices,
  type OpenRegistryServices,
  type RegistryServices,
  type RegistryServicesOptions,
} from './registry-services.ts';
export { type RunningServer, type StartOptions, startServer } from './server.ts';
