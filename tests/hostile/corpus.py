from hostile.language import LANGUAGE
ALL = LANGUAGE
