// QScintilla, whose headers use Qt's keyword macros. The engine names fields `slots`, so the window is compiled without
// them (QT_NO_KEYWORDS), and they exist only around these headers.
#pragma once
#include <QtGlobal>
#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <Qsci/qscilexercpp.h>
#include <Qsci/qscilexercustom.h>
#include <Qsci/qscilexerjson.h>
#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>
#undef signals
#undef slots
