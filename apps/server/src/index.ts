export { builtInAdapters } from './adapters.ts';
export { type AppDeps, type AppSettings, createApp, type ServerApp } from './app.ts';
export { createLog, type ServerLog } from './logging/logger.ts';
export { type ApiDocument, buildDocument } from './openapi/openapi.ts';
export {
  createRegistryServices,
  type OpenRegistryServices,
  type RegistryServices,
  type RegistryServicesOptions,
} from './ports/registry-services.ts';
export { runProcess } from './run-process.ts';
export { type RunningServer, type StartOptions, startServer } from './server.ts';
export { configOf, readConfig, type ServerConfig } from './settings/config.ts';
export { ConfigError } from './settings/config-error.ts';
export { namesOf, type ReadSettings, readSettings, type Values } from './settings/read-settings.ts';
export { list, oneOf, type Setting, type SettingsTable, said, text, whole } from './settings/setting.ts';
export { type SettingName, settings } from './settings/settings.ts';
export { settingsTable, withSettings } from './settings/table-text.ts';
