# find_package(corotrace): corotrace::ct is the C probe, corotrace::cpp the one for C++20, a header, and
# corotrace::cttrace the library that reads traces.
get_filename_component(_corotrace_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(Threads REQUIRED)

foreach(_corotrace_lib ct cttrace)
	if(NOT TARGET corotrace::${_corotrace_lib})
		add_library(corotrace::${_corotrace_lib} STATIC IMPORTED)
		set_target_properties(corotrace::${_corotrace_lib} PROPERTIES
			IMPORTED_LOCATION "${_corotrace_prefix}/lib/lib${_corotrace_lib}.a"
			INTERFACE_INCLUDE_DIRECTORIES "${_corotrace_prefix}/include/corotrace")
	endif()
endforeach()
set_property(TARGET corotrace::ct PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
if(NOT TARGET corotrace::cpp)
	add_library(corotrace::cpp INTERFACE IMPORTED)
	set_target_properties(corotrace::cpp PROPERTIES
		INTERFACE_INCLUDE_DIRECTORIES "${_corotrace_prefix}/include/corotrace"
		INTERFACE_COMPILE_FEATURES cxx_std_20
		INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
