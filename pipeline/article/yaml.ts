import { parse, YAMLParseError } from "yaml";
import { Fault } from "../fault.js";

/**
 * Reads YAML that begins on line `first` of a file.
 *
 * @throws Fault naming file and line when it is not YAML
 */
export function readYaml(text: string, file: string, first = 1): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    const what = error.message.split("\n")[0]!.replace(/ at line \d+, column \d+:?$/, "");
    throw new Fault(`${file}:${(error.linePos?.[0].line ?? 1) + first - 1}: not YAML: ${what}; mend the line, or quote its text`);
  }
}
