// SPDX-License-Identifier: Apache-2.0
import { mount } from "svelte";

import App from "./App.svelte";
import { startTheme } from "./theme";
import "./theme.css";

startTheme();
mount(App, { target: document.getElementById("app")! });
